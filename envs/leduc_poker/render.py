def text(game,state,seat): return ""
def picture(game,state,seat): return None
