"""The explorers' colours: Okabe and Ito's and one of Tol's, which differ to colour-blind eyes too."""

INK, SECANT, TANGENT = "#000000", "#D55E00", "#0072B2"
PURPLE, GREEN, SKY, AMBER = "#882255", "#009E73", "#56B4E9", "#E69F00"
GRID = "#B8B8B8"
